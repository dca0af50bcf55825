export interface LocalFlags {
  readonly kubeconfig: string;
  readonly cluster?: string;
  readonly components?: readonly string[];
  readonly componentsFile?: string;
  readonly value?: readonly string[];
  readonly version: string;
  readonly profile: string;
  readonly delete: boolean;
  readonly workspace: string;
  readonly allowPrivateEndpoints: boolean;
  readonly defaultCapabilities: boolean;
  readonly verbose: boolean;
}

export const localExitCodes = { done: 0, failed: 1, usage: 2 } as const;
