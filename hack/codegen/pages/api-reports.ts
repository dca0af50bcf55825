import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import {
  CompilerState,
  Extractor,
  ExtractorConfig,
  ExtractorLogLevel,
  type IConfigMessageReportingTable,
} from '@microsoft/api-extractor';
import { buildLibrary } from '../../library/library.ts';
import { collectOutputs, type Outputs } from '../outputs.ts';
import type { Project } from '../project.ts';
import { reportPage, undeclared } from './api-report-text.ts';

/** The public API is not fit to be published; the message names the reason. */
export class ApiReportError extends Error {}

/** Where `exports` of package.json point. */
const LIBRARY = './dist/lib/';

/**
 * The public API of the framework, one page for each entry of `exports` in package.json: `docs/api/<entry>.api.md`. A
 * change for provider authors thus shows in the diff.
 *
 * Throws if declarations mention a type that no entry exports: an author could not name it.
 */
export async function apiReports(project: Project): Promise<Outputs> {
  const { root } = project;
  const entries = await entriesOf(root);
  // Inside the repository, where the types of its dependencies are found.
  await mkdir(join(root, 'dist'), { recursive: true });
  const folder = await mkdtemp(join(root, 'dist', 'api-'));
  try {
    await buildLibrary(join(folder, 'lib'));
    const declarations = (entry: Entry) => join(folder, 'lib', entry.file.replace(/\.js$/, '.d.ts'));
    const configs = entries.map((entry) => config(root, folder, entry, declarations(entry)));
    const [first] = configs;
    if (first === undefined) return new Map();
    const compilerState = CompilerState.create(first, { additionalEntryPoints: entries.map(declarations) });
    const forgotten = new Set<string>();
    for (const each of configs) extract(each, compilerState, forgotten);
    const { outputs, put } = collectOutputs(project);
    for (const entry of entries) {
      const text = await readFile(join(folder, fileName(entry)), 'utf8');
      const source = `the declarations of ${entry.name}`;
      put(`docs/api/${fileName(entry)}`, source, reportPage(entry.name, text));
    }
    const missing = undeclared(forgotten, outputs.values());
    if (missing.length === 0) return outputs;
    throw new ApiReportError(`public declarations mention what no entry exports: ${missing.join(', ')}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Entry {
  /** As authors import it: `provider-kyma/managed`. */
  readonly name: string;
  /** Below the library: `managed/index.js`. */
  readonly file: string;
}

async function entriesOf(root: string): Promise<Entry[]> {
  const manifest: { name: string; exports: Record<string, string> } = JSON.parse(
    await readFile(join(root, 'package.json'), 'utf8'),
  );
  return Object.entries(manifest.exports).flatMap(([path, file]) =>
    file.startsWith(LIBRARY)
      ? [{ name: manifest.name + path.slice(1), file: file.slice(LIBRARY.length) }]
      : [],
  );
}

const fileName = ({ name }: Entry): string => `${name.split('/').slice(1).join('-')}.api.md`;

function config(root: string, folder: string, entry: Entry, declarations: string): ExtractorConfig {
  return ExtractorConfig.prepare({
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: declarations,
      newlineKind: 'lf',
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target: 'es2024',
            lib: ['es2024', 'esnext.disposable'],
            module: 'nodenext',
            types: ['node'],
            strict: true,
            skipLibCheck: true,
          },
          files: [relative(root, declarations)],
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: fileName(entry),
        reportFolder: folder,
        reportTempFolder: join(folder, 'temp'),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
        extractorMessageReporting: {
          default: { logLevel: ExtractorLogLevel.None },
          'ae-forgotten-export': { logLevel: ExtractorLogLevel.Warning },
        } satisfies IConfigMessageReportingTable,
        // The comments follow no release tags, and are written as prose.
        tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
      },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: join(root, 'package.json'),
  });
}

/** @param forgotten gets the names of what is mentioned and not exported by this entry */
function extract(config: ExtractorConfig, compilerState: CompilerState, forgotten: Set<string>): void {
  const problems: string[] = [];
  Extractor.invoke(config, {
    localBuild: true,
    compilerState,
    messageCallback: (message) => {
      message.handled = true;
      const name = /The symbol "([^"]+)" needs to be exported/.exec(message.text)?.[1];
      if (message.messageId === 'ae-forgotten-export' && name !== undefined) forgotten.add(name);
      else if (message.logLevel === ExtractorLogLevel.Error) problems.push(message.text);
    },
  });
  if (problems.length > 0) throw new ApiReportError(`cannot read the public API: ${problems.join('; ')}`);
}
