import { expect, test } from '@jest/globals';
import { KubeApiError } from '../../../../../framework/kube/errors/errors.ts';
import { withoutUnknownFields } from './refused-fields.ts';

const object = () => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    colour: 'red',
    containers: [
      { name: 'a', image: 'a' },
      { name: 'b', foo: { bar: 1 } },
    ],
    ports: [{ port: 80, x: 1 }],
  },
});
const refusal = (message: string) =>
  new KubeApiError(
    { verb: 'apply', object: 'Deployment web', clusterName: 'cluster a' },
    { httpStatus: 500, status: { message, reason: '', code: 500, details: undefined } },
  );

test('fields that the server names are left out, in lists by keys and positions', () => {
  const error = refusal(
    'failed to create typed patch object (shop/web; apps/v1, Kind=Deployment): errors:\n' +
      '  .spec.colour: field not declared in schema\n' +
      '  .spec.containers[name="b"].foo: field not declared in schema\n' +
      '  .spec.ports[0].x: field not declared in schema',
  );
  expect(withoutUnknownFields(object(), error)).toEqual({
    object: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: { containers: [{ name: 'a', image: 'a' }, { name: 'b' }], ports: [{ port: 80 }] },
    },
    paths: ['.spec.colour', '.spec.containers[name="b"].foo', '.spec.ports[0].x'],
  });
});

test.each(['.spec.missing: field not declared in schema', '.spec.colour: wrong type', 'constructor'])(
  'nothing is left out for %s',
  (message) => {
    expect(withoutUnknownFields(object(), refusal(message))).toBeUndefined();
    expect(withoutUnknownFields(object(), new Error(message))).toBeUndefined();
  },
);
