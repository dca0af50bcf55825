/** What the command line, the environment and manifests contain, and texts on their way to people. */

import { Command, CommanderError } from 'commander';
import fc from 'fast-check';
import { createScrubber, redact, visible } from '../../../internal/framework/base/text/redact.ts';
import { objectCommand } from '../../../internal/framework/base/text/shell.ts';
import { cutMiddle, oneLine, singleSpaced } from '../../../internal/framework/base/text/text.ts';
import { proxyFromEnv } from '../../../internal/framework/http/transport/proxy-env.ts';
import { environmentTwin } from '../../../internal/framework/process/flag.ts';
import { parseListenAddress } from '../../../internal/framework/process/server/listen.ts';
import { traceSettings } from '../../../internal/framework/process/telemetry/tracing/trace-settings.ts';
import { parseManifests } from '../../../internal/program/plan/manifests.ts';
import { program } from '../../../internal/program/program.ts';
import { addStartFlags, flagTable } from '../../../internal/program/provider/flags.ts';
import { locationsOf } from '../../../internal/systems/inventory/discovery/run-discover.ts';
import { damagedText, damagedValue } from '../arbitraries/damaged.ts';
import { hostileText, jsonText } from '../arbitraries/hostile.ts';
import { echo, secret } from '../arbitraries/secret.ts';
import { foreignInput } from '../foreign-input.ts';

const table = Object.entries(flagTable());
const flagNames = fc.constantFrom(...table.map(([name]) => `--${name}`));
const variables = fc.constantFrom(...table.map(([name, flag]) => environmentTwin(name, flag)));

/** What users type has no limit in length: refusals quote it, and the parser of YAML does not take linear time. */
const isShort = (text: string) => text.length <= 4096;
const typed = hostileText.filter(isShort);
const flagValues = damagedText(
  fc.constantFrom('true', '1m', '10', ':8080', 'config,inventory', 'a=b', 'shop'),
).filter(isShort);
const refusesFlags = (error: unknown) => error instanceof CommanderError;
const nothing = (_: unknown) => undefined;

/** `start` with these arguments, without its action. */
function parsedFlags(args: readonly string[], env: NodeJS.ProcessEnv): void {
  const command = addStartFlags(new Command('start'), env)
    .exitOverride()
    .configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
  command.parse(args, { from: 'user' });
}

/** Commander reads variables from the process. */
function withVariable(name: string, value: string, work: () => void): void {
  const before = process.env[name];
  process.env[name] = value;
  try {
    work();
  } finally {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  }
}

const otel = {
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
  OTEL_EXPORTER_OTLP_HEADERS: `authorization=${encodeURIComponent(secret)}`,
  OTEL_EXPORTER_OTLP_TIMEOUT: '1000',
  OTEL_TRACES_SAMPLER: 'traceidratio',
  OTEL_TRACES_SAMPLER_ARG: '0.5',
  OTEL_RESOURCE_ATTRIBUTES: 'a=b,c=d',
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
};
const environment = (valid: Readonly<Record<string, string>>): fc.Arbitrary<Record<string, string>> =>
  fc.record(
    Object.fromEntries(Object.entries(valid).map(([name, value]) => [name, damagedText(fc.constant(value))])),
    { requiredKeys: [] },
  ) as fc.Arbitrary<Record<string, string>>;

/** The characters of header values in HTTP. */
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

export const settingsInputs = [
  foreignInput({
    name: 'flags of start',
    inputs: fc.array(fc.tuple(fc.oneof(flagNames, typed), flagValues), { maxLength: 3 }),
    read: (pairs) => parsedFlags(pairs.flat(), {}),
    refuses: refusesFlags,
  }),
  foreignInput({
    name: 'variables of flags',
    inputs: fc.tuple(
      variables,
      flagValues.filter((text) => !text.includes('\u0000')),
    ),
    read: ([name, value]) => withVariable(name, value, () => parsedFlags([], { [name]: value })),
    refuses: refusesFlags,
  }),
  foreignInput({
    name: 'a command line',
    inputs: fc.array(
      fc.oneof(fc.constantFrom('plan', 'doctor', 'discover', '-o', 'json', '-f', '--help'), typed),
      {
        maxLength: 4,
      },
    ),
    read: (args) => {
      const output = { write: () => true };
      const root = program({ env: {}, stdout: output, stderr: output } as never).exitOverride();
      for (const command of root.commands) command.exitOverride().action(() => undefined);
      root.parse(args, { from: 'user' });
    },
    refuses: refusesFlags,
  }),
  foreignInput({
    name: 'variables of OpenTelemetry',
    inputs: environment(otel),
    read: (env) => {
      const settings = traceSettings(env, { name: 'n', version: 'v' });
      for (const [name, value] of Object.entries(settings?.headers ?? {})) {
        if (!headerValue.test(value) || !/^[\w!#$%&'*+.^`|~-]+$/.test(name))
          throw new Error('no header can hold it');
      }
    },
  }),
  foreignInput({
    name: 'variables of proxies',
    inputs: environment({
      HTTPS_PROXY: `http://user:${encodeURIComponent(secret)}@proxy:3128`,
      NO_PROXY: '.example.com,10.0.0.0/8,[fd00::1]:443,*',
    }),
    read: (env) => nothing(proxyFromEnv(new URL('https://api.example.com'), env)),
  }),
  foreignInput({
    name: 'the address of a server',
    inputs: damagedText(fc.constantFrom(':8080', '[::1]:80', 'host:0')),
    read: (text) => {
      const { port = 0 } = parseListenAddress(text) ?? {};
      if (!(port >= 0 && port <= 65_535)) throw new Error(`port ${port}`);
    },
  }),
  foreignInput({
    name: 'places of credentials',
    inputs: environment({
      adminBinding: 'shop/hana',
      connectionSecret: 'shop/kyma:kubeconfig',
      clusterIdConfigMap: 'kyma-system/x',
      credentialsSecret: 'shop/hana:uaa',
    }),
    read: (flags) => nothing(locationsOf(flags)),
  }),
  foreignInput({
    name: 'a manifest',
    inputs: damagedText(
      damagedValue({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, data: { a: secret } }).map(
        jsonText,
      ),
    ).filter(isShort),
    read: (text) => nothing(parseManifests(text, 'stdin')),
  }),
  foreignInput({
    name: 'a text with a secret',
    inputs: fc.array(fc.oneof(hostileText, echo), { maxLength: 4 }).map((texts) => texts.join('')),
    read: (text) => {
      const scrubbed = createScrubber([secret])(text);
      if (redact(scrubbed) !== scrubbed) throw new Error('redaction changes its own result');
      return singleSpaced(cutMiddle(oneLine(scrubbed), 1024));
    },
  }),
  foreignInput({
    name: 'a name in a command that is recommended',
    inputs: hostileText,
    read: (name) => visible(objectCommand('get', 'secrets', { name })),
  }),
];
