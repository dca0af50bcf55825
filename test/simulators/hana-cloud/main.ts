import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { millisecondsOf, portOf, runCommand } from '../base/command-line.ts';
import { type HanaCloudSimulator, startHanaCloudSimulator } from './simulator.ts';

const usage = `node test/simulators/hana-cloud/main.ts [options]

  --instance ID            an instance that is there from the start; repeatable (default: demo-instance)
  --port N                 of the API and of /_simulator (default: any free one)
  --token-port N           of the token endpoint (default: any free one)
  --cert-token-port N      of the token endpoint for client certificates (default: any free one)
  --listen ADDRESS         (default: 127.0.0.1); who reaches another one can steer the simulator
  --host NAME              in its URLs and its certificate (default: 127.0.0.1)
  --hostname NAME          one more name in the certificate; repeatable
  --latency 20ms           how much later every answer comes (ms, s; default 0ms)
  --token-lifetime 3600s   (ms, s, m, h)
  --ca-out FILE            where to write the CA certificate (PEM)
  --print-secret           print the Secret of each instance's binding, for kubectl apply
  --secret-form FORM       fields, json or x509 (default: fields)
`;

const { values } = parseArgs({
  options: {
    instance: { type: 'string', multiple: true, default: ['demo-instance'] },
    port: { type: 'string', default: '0' },
    'token-port': { type: 'string', default: '0' },
    'cert-token-port': { type: 'string', default: '0' },
    listen: { type: 'string', default: '127.0.0.1' },
    host: { type: 'string', default: '127.0.0.1' },
    hostname: { type: 'string', multiple: true, default: [] },
    latency: { type: 'string', default: '0ms' },
    'token-lifetime': { type: 'string', default: '3600s' },
    'ca-out': { type: 'string' },
    'print-secret': { type: 'boolean', default: false },
    'secret-form': { type: 'string', default: 'fields' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

await runCommand(async () => {
  if (values.help) console.log(usage);
  else await run();
});

async function run(): Promise<void> {
  const simulator = await startHanaCloudSimulator({
    instances: values.instance,
    port: portOf(values.port),
    tokenPort: portOf(values['token-port']),
    certTokenPort: portOf(values['cert-token-port']),
    listen: values.listen,
    host: values.host,
    hostnames: values.hostname,
    latencyMs: millisecondsOf(values.latency),
    tokenLifetimeSeconds: millisecondsOf(values['token-lifetime']) / 1000,
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void simulator.stop());
  const caOut = values['ca-out'];
  if (caOut !== undefined) writeFileSync(caOut, simulator.caCertificate);
  console.log(introduction(simulator, caOut));
  if (values['print-secret']) {
    for (const instance of values.instance) console.log(await secretOf(simulator, instance));
  }
}

function introduction(
  { apiUrl, tokenUrl, certTokenUrl }: HanaCloudSimulator,
  caOut: string | undefined,
): string {
  const ca = caOut ?? 'ca.pem';
  return `# HANA Cloud simulator
#   API              ${apiUrl}
#   token endpoint   ${tokenUrl}/oauth/token
#   with certificate ${certTokenUrl}/oauth/token
#   trust its CA     ${caOut === undefined ? 'start with --ca-out ca.pem, then ' : ''}NODE_EXTRA_CA_CERTS=${ca}
#   steer it         curl --cacert ${ca} ${apiUrl}/_simulator/
#     state          curl --cacert ${ca} ${apiUrl}/_simulator/state
#     a fault        curl --cacert ${ca} ${apiUrl}/_simulator/faults -d '{"on":{"route":"list","first":3},"do":{"kind":"status","status":503}}'
#   Stop it with Ctrl-C or SIGTERM. Its addresses are private: the provider needs --allow-private-endpoints.`;
}

async function secretOf(simulator: HanaCloudSimulator, instance: string): Promise<string> {
  const forms = await simulator.credentials(instance);
  const form = values['secret-form'];
  if (form !== 'fields' && form !== 'json' && form !== 'x509')
    throw new Error(`--secret-form ${form} is unknown`);
  const manifest = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `${instance}-admin` },
    stringData: forms[form],
  };
  return `---\n${JSON.stringify(manifest, null, 2)}`;
}
