/** What the scanner cuts a text into. Indentation becomes tokens of its own. */
export type Token =
  | {
      readonly type: 'scalar';
      readonly line: number;
      readonly value: string;
      /** Written without quotes and not as a block: it may be a number, a boolean or null. */
      readonly isPlain: boolean;
    }
  | { readonly type: 'anchor'; readonly line: number; readonly value: string }
  | { readonly type: 'alias'; readonly line: number; readonly value: string }
  | { readonly type: 'tag'; readonly line: number; readonly handle: string; readonly suffix: string }
  | { readonly type: 'tagDirective'; readonly line: number; readonly handle: string; readonly prefix: string }
  | { readonly type: 'versionDirective'; readonly line: number; readonly version: string }
  | { readonly type: MarkType; readonly line: number };

/** Tokens without content. */
export type MarkType =
  | 'streamEnd'
  | 'documentStart'
  | 'documentEnd'
  | 'blockSequenceStart'
  | 'blockMappingStart'
  | 'blockEnd'
  | 'flowSequenceStart'
  | 'flowSequenceEnd'
  | 'flowMappingStart'
  | 'flowMappingEnd'
  | 'blockEntry'
  | 'flowEntry'
  | 'key'
  | 'value';
