/**
 * The Compositions of examples/composition at moments of their lives: what was observed then, and what their functions
 * made of it. Both are on record, because the functions are Go programs that not every machine has; `make
 * render-compositions` renders anew.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../internal/kube/object/object.ts';

const ROOT = new URL('../../', import.meta.url);

export interface CompositionExample {
  /** Its folder in examples/composition, and in recorded/. */
  readonly name: string;
  /** The file of the composite resource, relative to the repository. */
  readonly composite: string;
  readonly moments: readonly Moment[];
}

/**
 * `composed`: Crossplane sees it for the first time. `waiting`: the mappings wait for what others own. `ready`: HANA Cloud
 * has them. `grown`: one more namespace was asked for since then.
 */
export type Moment = 'composed' | 'waiting' | 'ready' | 'grown';

const moments = ['composed', 'waiting', 'ready'] as const;

export const compositionExamples: readonly CompositionExample[] = [
  {
    name: 'team-database',
    composite: 'examples/composition/team-database/team-database.yaml',
    moments,
  },
  {
    name: 'team-database-v1',
    composite: 'examples/composition/team-database-v1/composite.yaml',
    moments,
  },
  {
    name: 'shared-database',
    composite: 'examples/composition/shared-database/shared-database.yaml',
    moments: [...moments, 'grown'],
  },
];

/** The files that a render is made of, relative to the repository. */
export function inputsOf({ name, composite }: CompositionExample, moment: Moment) {
  return {
    composite,
    definition: `examples/composition/${name}/definition.yaml`,
    composition: `examples/composition/${name}/composition.yaml`,
    functions: 'examples/composition/functions.yaml',
    environment: 'examples/composition/environment.yaml',
    ...(moment === 'composed' ? {} : { observed: observedPath(name, moment) }),
  };
}

export const observedPath = (name: string, moment: Exclude<Moment, 'composed'>): string =>
  `test/compositions/recorded/${name}/${moment}.observed.yaml`;

export const renderedPath = (name: string, moment: Moment): string =>
  `test/compositions/recorded/${name}/${moment}.rendered.yaml`;

export async function readObjects(path: string): Promise<KubeObject[]> {
  const documents = parseAllDocuments(await readFile(new URL(path, ROOT), 'utf8'));
  return documents.map((document): KubeObject => document.toJS()).filter((object) => object !== null);
}

/** Of all that a render is made of, whatever the comments say. */
export async function inputsDigest(example: CompositionExample, moment: Moment): Promise<string> {
  const contents = await Promise.all(Object.values(inputsOf(example, moment)).map(readObjects));
  return createHash('sha256').update(JSON.stringify(contents)).digest('hex');
}

/** How a recorded render says what it was made of. */
export const digestLine = (digest: string): string => `# Inputs: sha256:${digest}\n`;
