/** Who caused something (interface document, Principal). */
export type Principal =
  | {
      kind: 'user';
      identity: { issuer: string; subject: string };
      login: string;
      auth_method: 'hosted_git' | 'dev_token';
      avatar_url?: string | null;
    }
  | { kind: 'worker'; run_id: string }
  | { kind: 'webhook'; delivery_id: string }
  | { kind: 'chat'; team_id: string; user_id: string; user_name?: string | null }
  | { kind: 'agent'; session_id?: string | null; parent_session_id?: string | null; model?: string | null }
  | { kind: 'system'; system_kind: 'engine' | 'watchdog' | 'timeout' };
