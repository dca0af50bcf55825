import type { Step } from '../e2e-context.ts';
import { untilMapped } from '../steps/mapping-steps.ts';
import { putKubeconfig } from '../steps/sources.ts';
import {
  applyObjects,
  deleteObjects,
  type ExampleObject,
  folderObjects,
  waitForObjects,
} from './folder-objects.ts';
import { kindContext } from './kind-context.ts';
import type { KindOptions } from './kind-options.ts';

/**
 * Everything of examples/composition for the installed Crossplane, by kind, so that the examples may be split into
 * files freely. Their XRs and claims use the sources of steps/sources.ts.
 */
const FOLDER = 'composition';

/** Namespaced XRs need Crossplane 2; claims have a folder of their own, since both create the same mapping. */
const FORM_OF_V1 = /^examples\/composition\/[^/]*-v1\//;
const IN_A_FORM = /^examples\/composition\/[^/]+\//;

/** The last release of the function that runs on Crossplane 1.20. */
const ENVIRONMENT_CONFIGS_V1 = 'v0.4.0';

const DEFINITIONS = ['CompositeResourceDefinition', 'Composition', 'EnvironmentConfig'];

async function examples({ crossplane }: KindOptions): Promise<ExampleObject[]> {
  const v1 = crossplane.startsWith('1.');
  const all = await folderObjects(FOLDER);
  return all
    .filter(({ path }) => !IN_A_FORM.test(path) || FORM_OF_V1.test(path) === v1)
    .map((each) => (v1 && each.name === 'function-environment-configs' ? olderFunction(each) : each));
}

function olderFunction(object: ExampleObject): ExampleObject {
  const content = object.content as { readonly spec: { readonly package: string } };
  const reference = content.spec.package.replace(/:v[^:]*$/, `:${ENVIRONMENT_CONFIGS_V1}`);
  return { ...object, content: { ...content, spec: { ...content.spec, package: reference } } };
}

const ofKind = (objects: readonly ExampleObject[], ...kinds: string[]) =>
  objects.filter(({ kind }) => kinds.includes(kind));

/** What a team writes: an XR or a claim. */
const composites = (objects: readonly ExampleObject[]) =>
  objects.filter(({ kind }) => !['Function', ...DEFINITIONS].includes(kind));

export const compositionSteps: readonly Step<KindOptions>[] = [
  {
    title: 'the functions of the compositions are installed',
    run: async (options) => {
      const functions = ofKind(await examples(options), 'Function');
      await applyObjects(functions);
      await waitForObjects(functions, 'Healthy');
    },
  },
  {
    title: 'their definitions are established',
    run: async (options) => {
      const objects = await examples(options);
      await applyObjects(ofKind(objects, ...DEFINITIONS));
      await waitForObjects(ofKind(objects, 'CompositeResourceDefinition'), 'Established');
    },
  },
  {
    title: 'every XR becomes Ready, and HANA Cloud has the mappings that it asks for',
    run: async (options) => {
      const wanted = composites(await examples(options));
      const context = await kindContext(options);
      const homes = new Set(wanted.flatMap(({ namespace }) => namespace ?? []));
      for (const home of homes) await putKubeconfig(context, home);
      await applyObjects(wanted);
      await waitForObjects(wanted, 'Ready');
      const targets = wanted.flatMap(({ content }) => {
        const { namespace, namespaces = [] } = (content as Composite).spec;
        return namespace === undefined ? namespaces : [namespace];
      });
      await untilMapped(context, targets);
    },
  },
  {
    title: 'every XR is deleted, and its mappings with it',
    run: async (options) => {
      await deleteObjects(composites(await examples(options)));
      await untilMapped(await kindContext(options), []);
    },
  },
];

interface Composite {
  readonly spec: { readonly namespace?: string; readonly namespaces?: readonly string[] };
}
