/**
 * The Composition hana-database, rendered by the template engine of this repository: the functions of Crossplane are not
 * needed, since the Composition uses one of their own functions only.
 */
import { parseAllDocuments } from 'yaml';
import {
  fromJson,
  type GoFunction,
  parseTemplate,
  SPRIG_FUNCTIONS,
} from '../../internal/gotemplate/index.ts';
import type { KubeObject } from '../../internal/kube/object/object.ts';
import { readObjects } from './stages.ts';

const FOLDER = 'examples/composition/hana-database';

export const resourceNameAnnotation = 'gotemplating.fn.crossplane.io/composition-resource-name';

/** As function-go-templating defines it: a line of annotations. */
const setResourceNameAnnotation: GoFunction = {
  parameters: ['string'],
  call: ([name = '']) => `${resourceNameAnnotation}: ${String(name)}`,
};

/** What the function makes: the composed resources and the status of the composite resource. */
export interface RenderedDatabase {
  readonly composed: readonly KubeObject[];
  readonly status: Readonly<Record<string, unknown>>;
}

export const databaseDefinition = (): Promise<KubeObject[]> => readObjects(`${FOLDER}/definition.yaml`);

/** The composite resource of the example. */
export async function databaseExample(): Promise<KubeObject> {
  const [composite] = await readObjects(`${FOLDER}/hana-database.yaml`);
  if (composite === undefined) throw new Error('the example is empty');
  return composite;
}

/** @param observed composed resources by their names in the Composition */
export async function renderDatabase(
  composite: KubeObject,
  observed: Readonly<Record<string, KubeObject>> = {},
): Promise<RenderedDatabase> {
  const resources = Object.entries(observed).map(([name, resource]) => [name, { resource }]);
  const request = {
    observed: { composite: { resource: composite }, resources: Object.fromEntries(resources) },
  };
  const functions = { ...SPRIG_FUNCTIONS, setResourceNameAnnotation };
  const text = parseTemplate('database', await templateText(), { functions }).execute(fromJson(request));
  const objects = parseAllDocuments(text)
    .map((document): KubeObject | null => document.toJS())
    .filter((object) => object !== null);
  const status = objects.find(({ kind }) => kind === composite.kind);
  const composed = objects.filter((object) => object !== status);
  return { composed, status: (status as { status?: Record<string, unknown> } | undefined)?.status ?? {} };
}

interface Composition extends KubeObject {
  readonly spec: {
    readonly pipeline: readonly { readonly input?: { readonly inline: { readonly template: string } } }[];
  };
}

async function templateText(): Promise<string> {
  const [composition] = (await readObjects(`${FOLDER}/composition.yaml`)) as Composition[];
  const template = composition?.spec.pipeline[0]?.input?.inline.template;
  if (template === undefined) throw new Error('the Composition has no template');
  return template;
}
