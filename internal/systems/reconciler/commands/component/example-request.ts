import type { ComponentFlags } from '../../components/config/component-flags.ts';
import type { Task } from '../../components/model/task.ts';

/** A command that sends a task. The file kubeconfig.yaml stands for that of a cluster; jq writes it as JSON. */
export function exampleRequest(
  name: string,
  flags: Pick<ComponentFlags, 'serverPort' | 'serverCrt'>,
): string {
  const task: Omit<Task, 'kubeconfig' | 'metadata'> = {
    componentsReady: [],
    component: name,
    namespace: 'kyma-system',
    version: 'main',
    url: '',
    profile: 'evaluation',
    configuration: {},
    callbackURL: 'http://localhost:8081/v1/operations/example/callback/example',
    correlationID: 'example',
    repository: { url: '' },
    type: 'reconcile',
    componentConfiguration: { maxRetries: 1, debug: true },
  };
  const scheme = flags.serverCrt === '' ? 'http' : 'https';
  return [
    `jq --rawfile kubeconfig kubeconfig.yaml '. + {kubeconfig: $kubeconfig}' <<'EOF' |`,
    JSON.stringify(task, null, 2),
    'EOF',
    `  curl --json @- ${scheme}://localhost:${flags.serverPort}/v1/run`,
  ].join('\n');
}
