import { describe, test } from '@jest/globals';
import { HELM_MAJORS } from '../../../hack/helm/helm.ts';
import { type Helm, noHelmBecause, openHelm } from '../../environment/helm.ts';
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
