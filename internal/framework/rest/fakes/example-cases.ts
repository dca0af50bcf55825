/** The examples of a provider, by its CRDs: in memory by their schemas, on a real API server by a dry run, which has CEL rules too. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { systemClock } from '../../base/time/clock.ts';
import { createKubeClient, type KubeObject, loadClusterConfig, type ResourceType } from '../../kube/index.ts';
import { problemsIn } from '../../kube/object/structural-schema.ts';
import type { CustomResourceDefinition } from '../../managed/fakes/index.ts';
import type { RestCase } from './rest-cases.ts';

/** What of a CRD its objects need. */
interface Crd extends CustomResourceDefinition {
  readonly spec: CustomResourceDefinition['spec'] & {
    readonly scope: 'Cluster' | 'Namespaced';
    readonly names: { readonly kind: string; readonly plural: string };
  };
}

/**
 * A case for each object in `examples` of a project with a CRD in `package/crds`.
 *
 * @param kubeconfig of an API server that has the CRDs. Default: none, their schemas are taken
 */
export function exampleCases(project: string, kubeconfig?: string): RestCase[] {
  const crds = crdsOf(project);
  return documentsIn(project, 'examples/**/*.{yaml,yml}').flatMap(({ file, object }): RestCase[] => {
    const { apiVersion = '', kind = '' } = object;
    const crd = crds.find(({ spec }) => spec.names.kind === kind && apiVersion.startsWith(`${spec.group}/`));
    if (crd === undefined) return [];
    const scope = crd.spec.scope === 'Cluster' ? 'cluster' : 'namespaced';
    const run = async () => {
      if (kubeconfig === undefined) assertAccepted(crd, object);
      else await assertDryRun(crd, object, kubeconfig);
    };
    return [{ kind, scope, name: `the CRD accepts ${file}`, run }];
  });
}

export const crdsOf = (project: string): readonly Crd[] =>
  documentsIn(project, 'package/crds/*.yaml').map(({ object }) => object as unknown as Crd);

function documentsIn(project: string, pattern: string) {
  const files = globSync(pattern, { cwd: project }).map((file) => file.replaceAll('\\', '/'));
  return files.sort().flatMap((file) =>
    parseAllDocuments(readFileSync(join(project, file), 'utf8')).flatMap((document) => {
      const object: KubeObject | null = document.toJS();
      return object === null ? [] : [{ file, object }];
    }),
  );
}

function assertAccepted({ spec: { versions, group } }: Crd, object: KubeObject): void {
  const { apiVersion } = object;
  const version = versions.find(({ name }) => `${group}/${name}` === apiVersion);
  assert.ok(version, `${apiVersion} is a version of the kind`);
  assert.ok(version.schema?.openAPIV3Schema, `${apiVersion} has a schema`);
  const { metadata, ...own } = object;
  assert.ok(metadata?.name, 'the object has a name');
  assert.deepEqual(problemsIn(version.schema.openAPIV3Schema, { ...own, metadata: {} }), []);
}

async function assertDryRun({ spec }: Crd, object: KubeObject, kubeconfig: string): Promise<void> {
  const clock = systemClock;
  const client = createKubeClient({ config: await loadClusterConfig({ clock, kubeconfig }), clock });
  const { apiVersion = '', metadata } = object;
  const namespaced = spec.scope === 'Namespaced';
  const type: ResourceType<KubeObject> = {
    group: spec.group,
    version: apiVersion.slice(spec.group.length + 1),
    kind: spec.names.kind,
    plural: spec.names.plural,
    namespaced,
  };
  const placed = namespaced ? { namespace: 'default', ...metadata } : metadata;
  await client.create(type, { ...object, metadata: placed }, { dryRun: true, fieldValidation: 'Strict' });
}
