import type { Finder } from '../finding.ts';
import type { Operator } from '../operators.ts';

/** A fault that the guard must find in the tests. */
export interface Fault {
  readonly guard: Finder;
  /** The module that has it. */
  readonly module: string;
  readonly file: string;
  /** The function; `*`: the file. */
  readonly function: string;
  readonly operator: Operator;
  /** Patterns of the paths of tests that meet it, separated by blanks. */
  readonly tests: string;
}

type Row = readonly [file: string, name: string, operator: Operator, tests: string];

/** Faults of one guard in the files below a folder. Tests are of that folder, or begin with `test/`. */
export const faultsOf = (
  guard: Finder,
  module: string,
  folder: string,
  rows: readonly Row[],
): readonly Fault[] =>
  rows.map(([file, name, operator, tests]) => ({
    guard,
    module,
    file: `${folder}/${file}`,
    function: name,
    operator,
    tests: tests.startsWith('test/') ? tests : `${folder}/${tests}`,
  }));

export const remove = (member: string): Operator => ({ kind: 'remove-member', member });
export const replace = (member: string, value: string): Operator => ({
  kind: 'replace-member',
  member,
  value,
});
export const removeCall = (call: string): Operator => ({ kind: 'remove-call', call });
export const replaceCall = (call: string, value: string): Operator => ({ kind: 'replace-call', call, value });
export const dropTrigger = (element: string): Operator => ({ kind: 'remove-element', element });
export const insert = (statement: string, imports?: string): Operator => ({
  kind: 'insert',
  statement,
  ...(imports === undefined ? {} : { imports }),
});

export const BTP = 'internal/systems/btp';
export const MANAGER = 'internal/systems/infrastructure-manager';
export const INVENTORY = 'internal/systems/inventory';
export const MOTHERSHIP = 'internal/systems/reconciler/mothership';
export const RECONCILER = 'internal/systems/reconciler/kyma-cluster';
export const COMPONENTS = 'internal/systems/reconciler/components';
export const MANAGED = 'internal/framework/managed';
