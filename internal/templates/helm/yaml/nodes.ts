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
