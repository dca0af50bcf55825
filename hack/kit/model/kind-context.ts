import type { OpenapiDocument, Operation } from '../document/openapi-document.ts';
import type { KindSettings, ProviderFile } from '../format/provider-file.ts';
import type { KindId } from './id-parts.ts';
import type { FindOperation, KindOperations, KindSchemas, Report } from './kind-operations.ts';
import type { SpecField } from './spec-fields.ts';

/** Everything about one kind that the parts of its model need. */
export interface Context {
  readonly kind: string;
  readonly noun: string;
  readonly settings: KindSettings;
  readonly file: ProviderFile;
  readonly document: OpenapiDocument;
  readonly report: Report;
  readonly find: FindOperation;
  readonly operations: KindOperations;
  readonly schemas: KindSchemas;
  readonly id: KindId;
  /** For connection details, by their names. */
  readonly details: ReadonlyMap<string, Operation>;
  /** Of code by hand. */
  readonly requests: readonly Operation[];
  readonly fields: readonly SpecField[];
  readonly warn: (text: string) => void;
}
