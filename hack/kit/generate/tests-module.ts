/** `kinds.gen.test.ts`: the values with which `testRestProvider` tests each kind, and the examples. */
import { members } from './kinds-module.ts';
import type { AuthorProject } from './read-project.ts';

export function testsModule({ kinds }: AuthorProject): string {
  const samples = Object.fromEntries(kinds.map(({ kind, sample }) => [kind, sample]));
  return `import { testRestProvider } from "provider-kyma/testing/rest";
import { provider } from "./kinds.gen.ts";

testRestProvider(provider, {
${members(samples, '    ')}
}, import.meta.dirname);
`;
}
