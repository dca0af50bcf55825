import { describe, test } from '@jest/globals';
import { HELM_MAJORS } from '../../../hack/helm/helm.ts';
import { namespaces } from '../../../internal/framework/kube/object/resource-type.ts';
import { type Helm, noHelmBecause, openHelm } from '../../environment/helm.ts';
import { namespaceManifest } from '../../environment/manifests.ts';
import type { Objects } from '../../environment/objects.ts';
import { uniqueName } from './control-planes/control-planes.ts';
import { forFile } from './for-file.ts';

/** The tests of a chart, with each major version of Helm. @param chart default: that of the SAP BTP service operator */
export async function describeChart(chart: string | undefined, tests: (helm: Helm) => void): Promise<void> {
  const reasons = await Promise.all(HELM_MAJORS.map(noHelmBecause));
  describe.each(HELM_MAJORS.map((major, index) => ({ major, reason: reasons[index] })))(
    'Helm $major',
    ({ major, reason }) => {
      if (reason !== undefined) test.todo(`the chart cannot be rendered here: ${reason}`);
      else tests(forFile(() => openHelm({ major, ...(chart === undefined ? {} : { chart }) })));
    },
  );
}

/** A namespace that takes only pods which meet the Pod Security Standard restricted. @returns its name */
export async function createRestrictedNamespace(
  objects: Pick<Objects, 'apply'>,
  prefix: string,
): Promise<string> {
  const name = uniqueName(prefix);
  const { metadata, ...rest } = namespaceManifest(name);
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await objects.apply(namespaces, { ...rest, metadata: { ...metadata, labels } });
  return name;
}
