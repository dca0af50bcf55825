import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { applyOutputs } from '../../codegen/outputs.ts';
import { SourceError } from '../../codegen/source/source-error.ts';
import { type KitCommand, KitError, readArgs } from '../kit-command.ts';
import { generateProject } from './generate-project.ts';
import { PROVIDER_FILE, projectWarnings, readProject } from './read-project.ts';

const usage = `Usage: provider-kyma-kit generate [--check]

Reads ${PROVIDER_FILE} and the OpenAPI document that it names. Writes CRDs, types, kinds.gen.ts with the definitions of the kinds,
kinds.gen.test.ts with values for their tests, a page and examples of each kind in docs/kinds and examples, and a dashboard and alerts in
package/monitoring; once also main.ts.
Prints a warning for each field whose drift cannot be seen, or that is left out.

  --check  write nothing; exit with 1 if a file is not what ${PROVIDER_FILE} asks for`;

/** Written once: it is the author's. */
const MAIN = `import { runRestProvider } from 'provider-kyma/rest';
import { provider } from './kinds.gen.ts';

await runRestProvider(provider);
`;

export const generateCommand: KitCommand = {
  usage,
  run: async (args) => {
    const { values } = readArgs(usage, { args, options: { check: { type: 'boolean', default: false } } });
    const author = await readProject(process.cwd());
    const { project, outputs } = await generateProject(author).catch((error: unknown) => {
      throw error instanceof SourceError ? new KitError(error.message) : error;
    });
    for (const warning of [...projectWarnings(author), ...author.kinds.flatMap(({ warnings }) => warnings)])
      console.warn(`warning: ${warning}`);
    const main = join(author.root, 'main.ts');
    if (!values.check && !existsSync(main)) {
      await writeFile(main, MAIN);
      console.log('wrote main.ts');
    }
    return applyOutputs(project, outputs, { check: values.check });
  },
};
