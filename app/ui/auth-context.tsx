import { createContext, type ReactNode, useContext } from "react";

/** What the browser knows of a signed-in user; the server checks every permission itself. */
export interface AuthUser {
  role: "owner" | "editor" | "moderator" | "uploader";
  mayPublish: boolean;
}

export interface Auth {
  /** The signed-in user; undefined for a visitor. */
  user: AuthUser | undefined;
}

const AuthContext = createContext<Auth | undefined>(undefined);

/** Provides the session that the root loader found to the whole page, error pages included. */
export function AuthProvider({
  user,
  children,
}: {
  user: AuthUser | undefined;
  children: ReactNode;
}) {
  return <AuthContext.Provider value={{ user }}>{children}</AuthContext.Provider>;
}

/**
 * Returns the session of this page.
 *
 * @throws outside an `AuthProvider` (specification, section 8).
 */
export function useAuth(): Auth {
  const auth = useContext(AuthContext);
  if (!auth) throw new Error("useAuth must be used within an AuthProvider.");
  return auth;
}
