import { createContext, type ReactNode, useContext } from "react";

/** The information that the browser has about a signed-in user. The server checks every permission. */
export interface AuthUser {
  role: "owner" | "editor" | "moderator" | "uploader";
  mayPublish: boolean;
}

export interface Auth {
  /** The signed-in user; undefined for a visitor. */
  user: AuthUser | undefined;
}

const AuthContext = createContext<Auth | undefined>(undefined);

/** Provides the session from the root loader to the whole page, including error pages. */
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
 * Returns this page's session.
 *
 * @throws outside an `AuthProvider` (specification, section 8).
 */
export function useAuth(): Auth {
  const auth = useContext(AuthContext);
  if (!auth) throw new Error("useAuth must be used within an AuthProvider.");
  return auth;
}
