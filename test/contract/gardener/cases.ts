import { kubeconfigCases } from './cases/kubeconfig.ts';
import { lifeCases } from './cases/life.ts';
import { ownershipCases } from './cases/ownership.ts';
import { refusalCases } from './cases/refusals.ts';
import { writeCases } from './cases/writes.ts';
import type { ContractCase } from './contract-case.ts';

/** What the infrastructure manager relies on in Gardener. */
export const contractCases: readonly ContractCase[] = [
  ...writeCases,
  ...ownershipCases,
  ...lifeCases,
  ...kubeconfigCases,
  ...refusalCases,
];
