/**
 * What a KubeClient does against an API server, as a table. It runs against a real one (test/integration/contract) and
 * against the memory client (memory-client.test.ts), so that unit tests see what production does. The real one is the truth.
 */
import { applyCases } from './cases/apply.ts';
import { deletionCases } from './cases/deletion.ts';
import { patchCases } from './cases/patches.ts';
import { readCases } from './cases/reads.ts';
import { statusCases } from './cases/status.ts';
import { watchCases } from './cases/watches.ts';
import { writeCases } from './cases/writes.ts';
import type { ContractCase } from './contract-case.ts';

export const contractCases: readonly ContractCase[] = [
  ...writeCases,
  ...statusCases,
  ...patchCases,
  ...applyCases,
  ...deletionCases,
  ...readCases,
  ...watchCases,
];
