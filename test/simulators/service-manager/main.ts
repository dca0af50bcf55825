import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { millisecondsOf, portOf, runCommand } from '../base/command-line.ts';
import { type ServiceManagerSimulator, startServiceManagerSimulator } from './simulator.ts';

const usage = `node test/simulators/service-manager/main.ts [options]

  --subaccount ID          whose Secret --print-secret prints (default: subaccount-1)
  --port N                 of the API, the token endpoint and /_simulator (default: any free one)
  --listen ADDRESS         (default: 127.0.0.1); any client that reaches another one can control the simulator
  --host NAME              in its URL and its certificate (default: 127.0.0.1)
  --hostname NAME          one more name in the certificate; repeatable
  --latency 20ms           latency of every response (ms, s; default 0ms)
  --token-lifetime 3600s   (ms, s, m, h)
  --rate-limit 600/60s     requests of one client in a window of time (default: no limit)
  --ca-out FILE            where to write the CA certificate (PEM)
  --print-secret           print the operator's Secret, for kubectl apply
  --secret-form FORM       secret or x509 (default: secret)
  --namespace NAME         of that Secret (default: sap-btp-operator)
`;

const { values } = parseArgs({
  options: {
    subaccount: { type: 'string', default: 'subaccount-1' },
    port: { type: 'string', default: '0' },
    listen: { type: 'string', default: '127.0.0.1' },
    host: { type: 'string', default: '127.0.0.1' },
    hostname: { type: 'string', multiple: true, default: [] },
    latency: { type: 'string', default: '0ms' },
    'token-lifetime': { type: 'string', default: '3600s' },
    'rate-limit': { type: 'string' },
    'ca-out': { type: 'string' },
    'print-secret': { type: 'boolean', default: false },
    'secret-form': { type: 'string', default: 'secret' },
    namespace: { type: 'string', default: 'sap-btp-operator' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

await runCommand(async () => {
  if (values.help) console.log(usage);
  else await run();
});

async function run(): Promise<void> {
  const simulator = await startServiceManagerSimulator({
    port: portOf(values.port),
    listen: values.listen,
    host: values.host,
    hostnames: values.hostname,
    latencyMs: millisecondsOf(values.latency),
    tokenLifetimeSeconds: millisecondsOf(values['token-lifetime']) / 1000,
    rateLimit: rateLimitOf(values['rate-limit']),
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void simulator.stop());
  const caOut = values['ca-out'];
  if (caOut !== undefined) writeFileSync(caOut, simulator.caCertificate);
  console.log(introduction(simulator, caOut));
  if (values['print-secret']) console.log(await secretOf(simulator));
}

function introduction({ url }: ServiceManagerSimulator, caOut: string | undefined): string {
  const ca = caOut ?? 'ca.pem';
  return `# Service Manager simulator
#   API              ${url}
#   token endpoint   ${url}/oauth/token
#   trust its CA     ${caOut === undefined ? 'start with --ca-out ca.pem, then ' : ''}NODE_EXTRA_CA_CERTS=${ca}
#   control it       curl --cacert ${ca} ${url}/_simulator/
#     state          curl --cacert ${ca} ${url}/_simulator/state
#     a fault        curl --cacert ${ca} ${url}/_simulator/faults -d '{"on":{"route":"createInstance","first":1},"do":{"kind":"status","status":503}}'
#     async          curl --cacert ${ca} ${url}/_simulator/modes -d '{"on":{"plan":"standard"},"mode":{"async":{"polls":3}}}'
#   Stop it with Ctrl-C or SIGTERM. Its address is private: the provider needs --allow-private-endpoints.`;
}

async function secretOf(simulator: ServiceManagerSimulator): Promise<string> {
  const forms = await simulator.credentials(values.subaccount);
  const form = values['secret-form'];
  if (form !== 'secret' && form !== 'x509') throw new Error(`--secret-form ${form} is unknown`);
  const manifest = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'sap-btp-service-operator', namespace: values.namespace },
    stringData: forms[form],
  };
  return `---\n${JSON.stringify(manifest, null, 2)}`;
}

function rateLimitOf(text: string | undefined) {
  if (text === undefined) return null;
  const [, requests, window] = /^(\d+)\/(.+)$/.exec(text) ?? [];
  if (requests === undefined || window === undefined) throw new Error(`${text} is no rate, such as 600/60s`);
  return { requests: Number(requests), windowMs: millisecondsOf(window) };
}
