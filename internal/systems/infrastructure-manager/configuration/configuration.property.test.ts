import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter } from '../../../../test/campaign/any-character.ts';
import {
  ConfigurationError,
  type ConfigurationNode,
  parseConfiguration,
} from '../../../framework/base/configuration/configuration.ts';
import { auditTenantsOf, converterConfigurationOf, maintenanceWindowsOf } from './configuration.ts';

const parameters = { seed: 20_241_124, numRuns: 500 };

const members = [
  ...[
    'converter',
    'cluster',
    'kubernetes',
    'defaultVersion',
    'defaultOperatorOidc',
    'signingAlgs',
    'dns',
    'provider',
  ],
  ...[
    'aws',
    'enableIMDSv2',
    'gardener',
    'projectName',
    'eu-central-1',
    'serviceURL',
    'begin',
    'end',
    '__proto__',
  ],
];
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 6 },
    fc.constantFrom('', 'text', '200000+0000', 'https://example.org', null, true, 7, 1e300),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...members), tie('value'), { maxKeys: 6 }),
  ),
}));
const json = value.map((each) => JSON.stringify(each));
const broken = fc.tuple(json, fc.nat(), fc.string({ maxLength: 3 })).map(([text, at, other]) => {
  const position = at % (text.length + 1);
  return `${text.slice(0, position)}${other}${text.slice(position + 1)}`;
});

const parsers: readonly ((root: ConfigurationNode) => unknown)[] = [
  converterConfigurationOf,
  auditTenantsOf,
  maintenanceWindowsOf,
];

const namesFile = (error: unknown) =>
  error instanceof ConfigurationError &&
  error.mistakes.every((line) => /^cannot (read file\.json|use file\.json:[1-9]\d*:[1-9]\d*): /.test(line));

test('whatever is in a file is read, or refused with the file', () => {
  fc.assert(
    fc.property(fc.oneof(json, broken, fc.string({ unit: anyCharacter })), (text) => {
      const errors = parsers.flatMap((parse) => {
        try {
          const root = parseConfiguration(text, 'file.json', { ignoresCase: true });
          parse(root);
          root.refuseUnknown();
          return [];
        } catch (error) {
          return [error];
        }
      });
      expect(errors.filter((error) => !namesFile(error))).toEqual([]);
    }),
    parameters,
  );
});
