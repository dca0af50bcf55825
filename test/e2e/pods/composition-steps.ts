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
import { addFunctions, functionsOf } from './functions.ts';
import { podsContext } from './pods-context.ts';
import type { PodsOptions } from './pods-options.ts';

/**
 * Everything of examples/composition for the installed Crossplane, by kind, so that the examples may be split into
 * files freely. Their XRs and claims use the sources of steps/sources.ts.
 */
const FOLDER = 'composition';

/** Folders with what these steps do not install: the module `btp` (the steps of the chain do), the infrastructure manager. */
const NEED_MORE = /^examples\/composition\/(hana-database|kyma-runtime)\//;

/** Namespaced XRs need Crossplane 2; claims have a folder of their own, since both create the same mapping. */
const FORM_OF_V1 = /^examples\/composition\/[^/]*-v1\//;
const IN_A_FORM = /^examples\/composition\/[^/]+\//;

/** The last release of the function that runs on Crossplane 1.20. */
const ENVIRONMENT_CONFIGS_V1 = 'v0.4.0';

const DEFINITIONS = ['CompositeResourceDefinition', 'Composition', 'EnvironmentConfig'];

async function examples({ crossplane }: PodsOptions): Promise<ExampleObject[]> {
  const v1 = crossplane.startsWith('1.');
  const all = await folderObjects(FOLDER);
  return all
    .filter(({ path }) => !NEED_MORE.test(path))
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

/** What can be tried here, with its functions installable. What cannot is left out, with the reason. */
async function choose(options: PodsOptions): Promise<ExampleObject[]> {
  const all = await examples(options);
  const unavailable = await addFunctions(options, ofKind(all, 'Function'));
  const leftOut = new Set<string>();
  for (const composition of ofKind(all, 'Composition')) {
    const missing = functionsOf(composition).flatMap((name) => unavailable.get(name) ?? []);
    if (missing.length === 0) continue;
    leftOut.add(folderOf(composition.path));
    options.leaveOut(`${folderOf(composition.path)}: ${missing.join('; ')}`);
  }
  return all.filter(({ path, name }) => !leftOut.has(folderOf(path)) && !unavailable.has(name));
}

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/'));

/** The steps of the compositions whose functions can be had; none where that is no composition. */
export async function compositionSteps(options: PodsOptions): Promise<Step<PodsOptions>[]> {
  const objects = await choose(options);
  const wanted = composites(objects);
  return wanted.length === 0 ? [] : stepsOf(objects, wanted);
}

const stepsOf = (
  objects: readonly ExampleObject[],
  wanted: readonly ExampleObject[],
): Step<PodsOptions>[] => [
  {
    title: 'the functions of the compositions are installed',
    run: async () => {
      const functions = ofKind(objects, 'Function');
      await applyObjects(functions);
      await waitForObjects(functions, 'Healthy');
    },
  },
  {
    title: 'their definitions are established',
    run: async () => {
      await applyObjects(ofKind(objects, ...DEFINITIONS));
      await waitForObjects(ofKind(objects, 'CompositeResourceDefinition'), 'Established');
    },
  },
  {
    title: 'every XR becomes Ready, and HANA Cloud has the mappings that it asks for',
    run: async (options) => {
      const context = await podsContext(options);
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
      await deleteObjects(wanted);
      await untilMapped(await podsContext(options), []);
    },
  },
];

interface Composite {
  readonly spec: { readonly namespace?: string; readonly namespaces?: readonly string[] };
}
