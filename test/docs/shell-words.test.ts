import { expect, test } from '@jest/globals';
import { invocationsIn } from './shell-words.ts';

test.each([
  ['make build   # a word on make test', [{ program: 'make', words: ['build'] }]],
  ["make xpkg BASE_IMAGES='a b'", [{ program: 'make', words: ['xpkg', 'BASE_IMAGES=a b'] }]],
  [
    'bin/provider-kyma doctor shop -o json',
    [{ program: 'provider-kyma', words: ['doctor', 'shop', '-o', 'json'] }],
  ],
  ['kubectl kyma plan -f x.yaml', [{ program: 'provider-kyma', words: ['plan', '-f', 'x.yaml'] }]],
  ['source <(provider-kyma completion bash)', [{ program: 'provider-kyma', words: ['completion', 'bash'] }]],
  [
    'make image && provider-kyma discover -o yaml > import.yaml',
    [
      { program: 'make', words: ['image'] },
      { program: 'provider-kyma', words: ['discover', '-o', 'yaml'] },
    ],
  ],
  ['A=1 make demo', [{ program: 'make', words: ['demo'] }]],
  ['kubectl get pods -l x=provider-kyma | grep make', []],
  [
    'provider-kyma doctor \\\n  --permissions',
    [{ program: 'provider-kyma', words: ['doctor', '--permissions'] }],
  ],
])('%s', (code, invocations) => {
  expect(invocationsIn(code)).toEqual(invocations);
});
