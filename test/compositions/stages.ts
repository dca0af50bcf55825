/**
 * The Compositions of examples/composition at stages of their lifecycle: the observed resources, and the output of
 * their functions. Both are recorded, because the functions are Go programs that not every machine has; `make
 * render-compositions` renders again.
 */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { KubeObject } from '../../internal/framework/kube/object/object.ts';
import { readRecord, recordText } from '../environment/object-records.ts';

const ROOT = new URL('../../', import.meta.url);

export interface CompositionExample {
  /** Its folder in examples/composition, and in recorded/. */
  readonly name: string;
  /** The file of the composite resource, relative to the repository. */
  readonly composite: string;
  readonly stages: readonly Stage[];
}

/**
 * `composed`: the first reconcile of Crossplane. `waiting`: the mappings wait for their input objects. `ready`: HANA
 * Cloud has them. `grown`: one more namespace was added since then. Only of a Composition that makes the cluster too:
 * `provisioning`: Gardener makes it; `connected`: it has a kubeconfig, and nothing is on it.
 */
export type Stage = 'composed' | 'provisioning' | 'connected' | 'waiting' | 'ready' | 'grown';

const stages = ['composed', 'waiting', 'ready'] as const;

/** Their mappings read objects that exist. */
export const mappingExamples: readonly CompositionExample[] = [
  {
    name: 'team-database',
    composite: 'examples/composition/team-database/team-database.yaml',
    stages,
  },
  {
    name: 'team-database-v1',
    composite: 'examples/composition/team-database-v1/composite.yaml',
    stages,
  },
  {
    name: 'shared-database',
    composite: 'examples/composition/shared-database/shared-database.yaml',
    stages: [...stages, 'grown'],
  },
];

/** It makes all that its mapping reads, except for the Secret with the parameters of the database. */
export const hanaDatabase: CompositionExample = {
  name: 'hana-database',
  composite: 'examples/composition/hana-database/hana-database.yaml',
  stages,
};

/** It makes a cluster with all that its mapping reads. */
export const kymaRuntime: CompositionExample = {
  name: 'kyma-runtime',
  composite: 'examples/composition/kyma-runtime/kyma-runtime.yaml',
  stages: ['composed', 'provisioning', 'connected', 'waiting', 'ready'],
};

export const compositionExamples: readonly CompositionExample[] = [
  ...mappingExamples,
  hanaDatabase,
  kymaRuntime,
];

/** The files that a render is made of, relative to the repository. */
export function inputsOf({ name, composite }: CompositionExample, stage: Stage) {
  return {
    composite,
    definition: `examples/composition/${name}/definition.yaml`,
    composition: `examples/composition/${name}/composition.yaml`,
    functions: 'examples/composition/functions.yaml',
    environment: 'examples/composition/environment.yaml',
    ...(stage === 'composed' ? {} : { observed: observedPath(name, stage) }),
  };
}

export const observedPath = (name: string, stage: Exclude<Stage, 'composed'>): string =>
  `test/compositions/recorded/${name}/${stage}.observed.yaml`;

export const renderedPath = (name: string, stage: Stage): string =>
  `test/compositions/recorded/${name}/${stage}.rendered.yaml`;

export const readObjects = (path: string): Promise<KubeObject[]> => readRecord(new URL(path, ROOT));

/** The text of a record, which has only what differs from that of the stage before. */
export async function stageText(
  { name, stages }: CompositionExample,
  stage: Stage,
  of: 'observed' | 'rendered',
  objects: readonly KubeObject[],
): Promise<string> {
  const index = stages.indexOf(stage);
  const earlier = stages[index - 1];
  const hasEarlier = earlier !== undefined && !(of === 'observed' && earlier === 'composed');
  const before = hasEarlier ? `${earlier}.${of}.yaml` : undefined;
  const file = new URL(`test/compositions/recorded/${name}/${stage}.${of}.yaml`, ROOT);
  return `# Recorded by \`make render-compositions\`. Do not edit.\n${await recordText(file, objects, before)}`;
}

export async function recordObserved(
  example: CompositionExample,
  stage: Exclude<Stage, 'composed'>,
  objects: readonly KubeObject[],
): Promise<void> {
  const path = new URL(observedPath(example.name, stage), ROOT);
  await writeFile(path, await stageText(example, stage, 'observed', objects));
}

/** Digest of all inputs of a render, without comments. */
export async function inputsDigest(example: CompositionExample, stage: Stage): Promise<string> {
  const contents = await Promise.all(Object.values(inputsOf(example, stage)).map(readObjects));
  return createHash('sha256').update(JSON.stringify(contents)).digest('hex');
}

/** The line of a recorded render that holds the digest of its inputs. */
export const digestLine = (digest: string): string => `# Inputs: sha256:${digest}\n`;
