export interface PrivateBuild {
  readonly folder: string;
  remove(): Promise<void>;
}

export function makePrivateBuild(): Promise<PrivateBuild>;
