# Build: compilers for native modules, all packages, the built site.
FROM node:24-trixie-slim AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3 make g++ \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /site
COPY package.json package-lock.json .npmrc ./
COPY scripts/native ./scripts/native
RUN CXXFLAGS="-include /site/scripts/native/object-wrap.h" npm ci --include=dev
COPY remix.config.js vite.config.ts tsconfig.json ./
COPY app ./app
COPY db ./db
COPY scripts ./scripts
# The lock file is part of the build's fingerprint, so pruning must not change it.
RUN node scripts/start.mjs --prepare \
 && npm prune --omit=dev --no-save

# Serve: Node.js, ffmpeg, the built site and its runtime packages.
FROM node:24-trixie-slim AS serve
RUN apt-get update \
 && apt-get install -y --no-install-recommends ffmpeg \
 && rm -rf /var/lib/apt/lists/*
# With the malloc limits here and the V8 limits in CMD, the process uses half of the memory that it uses with the
# defaults (npm run bench -- memory). Most of the difference is uncollected garbage.
ENV NODE_ENV=production \
    MALLOC_ARENA_MAX=2 \
    MALLOC_TRIM_THRESHOLD_=131072 \
    PORT=3000
WORKDIR /site
COPY --from=build /site ./
# New volumes get their owner and mode from these folders. Everything else belongs to root and can be read-only.
RUN mkdir -p db/data uploads backups \
 && chown node:node db/data uploads backups \
 && chmod 750 db/data uploads backups
USER node
VOLUME ["/site/db/data", "/site/uploads"]
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Node.js is the first process of the container, so that it receives SIGTERM.
CMD ["node", "--max-semi-space-size=2", "--max-old-space-size=512", "scripts/start.mjs"]

# Refresh: updates the database of a read replica with Litestream. Built only with --target refresh.
FROM serve AS refresh
COPY --from=litestream/litestream:0.3.13 /usr/local/bin/litestream /usr/local/bin/litestream

FROM serve
