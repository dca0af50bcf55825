import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { systemClock } from '../../../internal/framework/base/time/clock.ts';
import { millisecondsOf, portOf, runCommand } from '../base/command-line.ts';
import { serveGardener } from './server/gardener-server.ts';
import { startSimulatedGardener } from './simulated-gardener.ts';

const usage = `node test/simulators/gardener/main.ts --kubeconfig-out FILE [options]

  --kubeconfig-out FILE   where to write the kubeconfig of the infrastructure manager; only its owner can read it
  --project NAME          without garden- (default: kyma)
  --port N                (default: any free one)
  --stage 2s              time between the stages of an operation (ms, s, m; default 0ms)
`;

const { values } = parseArgs({
  options: {
    'kubeconfig-out': { type: 'string' },
    project: { type: 'string', default: 'kyma' },
    port: { type: 'string', default: '0' },
    stage: { type: 'string', default: '0ms' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

await runCommand(async () => {
  if (values.help) console.log(usage);
  else await run();
});

async function run(): Promise<void> {
  const file = values['kubeconfig-out'];
  if (file === undefined) throw new Error(`--kubeconfig-out is missing\n\n${usage}`);
  const port = portOf(values.port);
  const stageMs = millisecondsOf(values.stage);
  const gardener = await startSimulatedGardener({ clock: systemClock, project: values.project, stageMs });
  const server = await serveGardener(gardener, { port });
  writeFileSync(file, server.kubeconfig, { mode: 0o600 });
  const stop = async () => {
    await server.stop();
    await gardener.stop();
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop());
  console.log(`# Gardener simulator
#   API         ${server.url}
#   the Shoots  kubectl --kubeconfig ${file} get --raw /apis/core.gardener.cloud/v1beta1/namespaces/${gardener.namespace}/shoots
#   Stop it with Ctrl-C or SIGTERM.`);
}
