import { type AgentProfile, type BillingPolicy, type Model } from './model.js';

/** How requests are put to a provider; `simulated` answers them itself. */
export type Adapter = 'anthropic' | 'openai' | 'gemini' | 'openai_compatible' | 'bedrock' | 'simulated';

/** Where a secret is found. */
export type Credential = `env:${string}` | `vault:${string}` | 'aws_sigv4';

/** Something that serves requests. */
export interface Provider {
  id: string;
  aliases?: readonly string[];
  adapter: Adapter;
  /** The higher one is asked first. */
  priority: number;
  /** A provider that is not enabled is known, but asked for nothing. */
  isEnabled: boolean;
  /** Serves only who names it: it is no choice where none was made. */
  onlyByName?: boolean;
  /** Absent where settings must say it. */
  baseUrl?: string;
  /** Absent where no key is needed. */
  auth?: Auth;
  /** May hold `{{ secrets.NAME }}`. */
  extraHeaders?: Readonly<Record<string, string>>;
  agentProfile: AgentProfile;
  billingPolicy: BillingPolicy;
  models: readonly Model[];
}

export interface Auth {
  /** The first that is found serves. */
  credentials: readonly Credential[];
  header: 'bearer' | { custom: string };
}
