export interface RenderFlags {
  readonly template: string;
  readonly data?: string;
  readonly name?: string;
  readonly secret?: boolean;
  readonly explain?: boolean;
  readonly showValues?: boolean;
}

export const renderExitCodes = { rendered: 0, failed: 1, usage: 2 } as const;
