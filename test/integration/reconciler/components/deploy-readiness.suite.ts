import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeAwaited } from '../../../../internal/systems/reconciler/components/objects/readiness/await-ready.ts';
import { eventually } from '../../../environment/eventually.ts';
import { type DeployEnvironment, startDeployEnvironment, typeOf } from './deploy-environment.ts';
import type { Workloads } from './deploy-kubelet.ts';

export const readinessTests = (planeOf: () => Workloads['plane']): void =>
  describe('readiness', () => {
    let environment: DeployEnvironment;
    beforeAll(async () => {
      environment = await startDeployEnvironment(planeOf());
    });
    afterAll(async () => {
      await environment?.stop();
    });

    const workload = (kind: string, image: string, more = '') => `
---
apiVersion: apps/v1
kind: ${kind}
metadata: { name: web }
spec:
  ${more}
  selector: { matchLabels: { app: web, kind: ${kind} } }
  template:
    metadata: { labels: { app: web, kind: ${kind} } }
    spec: { containers: [{ name: web, image: "${image}" }] }
`;
    const job = `
---
apiVersion: batch/v1
kind: Job
metadata: { name: once }
spec: { template: { spec: { restartPolicy: Never, containers: [{ name: once, image: once }] } } }
`;

    test('[R70] rolling updates of all kinds of workloads become ready, and a removal leaves nothing', async () => {
      const component = environment.component();
      const { namespace } = component;
      const chart = (image: string) =>
        [
          workload('Deployment', image, 'replicas: 2'),
          workload('StatefulSet', image, 'serviceName: web'),
          workload('DaemonSet', image),
          job,
        ].join('');
      for (const image of ['web:1', 'web:2']) {
        await component.deploy(chart(image));
        const pods = await environment.objects.list(typeOf('', 'v1', 'Pod'), namespace);
        expect(
          pods.filter((pod) => JSON.stringify(pod).includes(`"${image}"`)).length,
        ).toBeGreaterThanOrEqual(3);
      }
      const texts = component.progress.map(describeAwaited).join('\n');
      // Which of them are awaited when it is first asked depends on the speed of the machine.
      expect(texts).toMatch(
        new RegExp(`(?:Deployment|StatefulSet|DaemonSet|Job) ${namespace}/(?:web|once) \\(`),
      );
      // The last report says that nothing is awaited.
      expect(component.progress.at(-1)).toEqual([]);
      await component.remove(chart('web:2'));
      expect(
        await environment.objects.find(typeOf('', 'v1', 'Namespace', false), { name: namespace }),
      ).toBeUndefined();
    });

    test('[R70] what does not become ready ends with the time-out, and with the attempt, in an error that says why', async () => {
      const component = environment.component({ progressTimeoutMs: 1000 });
      const { namespace } = component;
      const idle = job.replace('spec: { template', 'spec: { parallelism: 0, template');
      await expect(component.deploy(idle)).rejects.toMatchObject({
        name: 'NotReadyError',
        message: `objects are not ready after 1 s: Job ${namespace}/once (0 of 1 completions)`,
      });
      const patient = environment.component({ name: component.name, namespace });
      const controller = new AbortController();
      const deployed = expect(patient.deploy(idle, { signal: controller.signal })).rejects.toMatchObject({
        name: 'NotReadyError',
        message: expect.stringContaining(`Job ${namespace}/once`),
      });
      // The attempt ends while it waits, however long it took until then.
      await eventually(async () => expect(patient.progress.flat()).not.toEqual([]));
      controller.abort(new Error('the attempt has ended'));
      await deployed;
      await component.remove(idle);
    });

    test('a Deployment that is paused is not awaited, and has no new pods', async () => {
      const component = environment.component();
      const { namespace } = component;
      await component.deploy(workload('Deployment', 'web:1'));
      await component.deploy(workload('Deployment', 'web:2', 'paused: true'));
      const pods = await environment.objects.list(typeOf('', 'v1', 'Pod'), namespace);
      expect(pods.length).toBeGreaterThan(0);
      expect(JSON.stringify(pods)).not.toContain('"web:2"');
      await component.remove(workload('Deployment', 'web:2'));
    });

    test('a Job that fails is an error at once', async () => {
      const component = environment.component();
      const { namespace } = component;
      const failing = job.replace(
        'spec: { template',
        'spec: { activeDeadlineSeconds: 1, parallelism: 0, template',
      );
      await expect(component.deploy(failing)).rejects.toMatchObject({
        kind: 'terminal',
        message: expect.stringMatching(
          `objects cannot become ready: Job ${namespace}/once .it failed: DeadlineExceeded`,
        ),
      });
      await component.remove(failing);
    });

    test('a removal reports objects that hang, and ends after its time-out', async () => {
      const component = environment.component({ progressTimeoutMs: 1000 });
      const { namespace } = component;
      const held = `
---
apiVersion: v1
kind: ConfigMap
metadata: { name: held, finalizers: [example.org/hold] }
`;
      await component.deploy(held);
      await component.remove(held);
      const texts = component.progress.map(describeAwaited);
      expect(texts).toContain(`ConfigMap ${namespace}/held (finalizers: example.org/hold)`);
      expect(texts).toContain(`Namespace ${namespace} (finalizers: kubernetes)`);
      const configMaps = typeOf('', 'v1', 'ConfigMap');
      await environment.objects.patch(
        configMaps,
        { namespace, name: 'held' },
        { metadata: { finalizers: null } },
      );
    });
  });
