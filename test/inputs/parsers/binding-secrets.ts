/** What becomes the Secret of a ServiceBinding: credentials of Service Manager, and a template of a user. */
import fc from 'fast-check';
import {
  boundInstance,
  sampleBinding,
} from '../../../internal/systems/btp/servicebinding/secret/secret.fixture.ts';
import { secretContent } from '../../../internal/systems/btp/servicebinding/secret/secret-content.ts';
import { damagedJson, damagedText } from '../arbitraries/damaged.ts';
import { hostileText } from '../arbitraries/hostile.ts';
import { secret } from '../arbitraries/secret.ts';
import { foreignInput } from '../foreign-input.ts';

const credentials = damagedJson({ user: 'u', password: secret, nested: { key: secret }, list: [1, secret] });

const templates = fc.constantFrom(
  'stringData:\n  user: {{ .credentials.user }}\n  password: {{ .credentials.password | quote }}',
  'apiVersion: v1\nkind: Secret\nmetadata:\n  labels: {a: "{{ .instance.plan }}"}\ndata: {p: "{{ .credentials.password | b64enc }}"}',
  'stringData: {{ .credentials | toJson }}',
  '{{ range $key, $value := .credentials.nested }}{{ $key }}: {{ fail $value }}{{ end }}',
  'stringData: [{{ .credentials.password }}',
  '{{ .credentials.password.x }}',
);

/** Keys of the Secret are keys of the credentials; the values are for the user of the Secret alone. */
const check = ({ data, labels, annotations }: ReturnType<typeof secretContent>) => {
  const keys = [data, labels, annotations].flatMap((each) => Object.keys(each));
  if (keys.some((key) => key === '')) throw new Error('an entry without a key');
};

export const bindingSecrets = [
  foreignInput({
    name: 'credentials of a binding',
    inputs: fc.record({
      credentials,
      secretKey: fc.option(hostileText, { nil: undefined }),
      secretRootKey: fc.option(hostileText, { nil: undefined }),
    }),
    read: ({ credentials, secretKey, secretRootKey }) => {
      const spec = {
        ...(secretKey === undefined ? {} : { secretKey }),
        ...(secretRootKey === undefined ? {} : { secretRootKey }),
      };
      check(secretContent({ binding: sampleBinding(spec), instance: boundInstance(), credentials }));
    },
  }),
  foreignInput({
    name: 'a template for the Secret of a binding',
    inputs: fc.record({ credentials, secretTemplate: damagedText(templates) }),
    read: ({ credentials, secretTemplate }) =>
      check(
        secretContent({ binding: sampleBinding({ secretTemplate }), instance: boundInstance(), credentials }),
      ),
  }),
];
