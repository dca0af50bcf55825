export function comparePixels(images: readonly [string, string]): Promise<number>;
export function focusedText(): string;
export function unnamedControls(): string[];
export function contrasts(): { readonly text: string; readonly contrast: number }[];
export function overflow(): number;
export function firstView(data: string): {
  readonly shown: number;
  readonly script: number;
  readonly asked: number;
};
