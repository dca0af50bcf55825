/** The tree of a document. */
export type YamlNode = ScalarNode | SequenceNode | MappingNode | AliasNode;

export interface ScalarNode {
  readonly kind: 'scalar';
  readonly value: string;
  /** Long form, such as `tag:yaml.org,2002:str`; empty if none is written. */
  readonly tag: string;
  /** Its type follows from its text. */
  readonly isImplicit: boolean;
}

export interface SequenceNode {
  readonly kind: 'sequence';
  readonly items: readonly YamlNode[];
}

export interface MappingNode {
  readonly kind: 'mapping';
  readonly entries: readonly (readonly [key: YamlNode, value: YamlNode])[];
}

export interface AliasNode {
  readonly kind: 'alias';
  readonly name: string;
  readonly target: YamlNode;
}

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
