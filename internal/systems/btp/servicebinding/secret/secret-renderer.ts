import { type Clock, ProviderError } from '../../../../framework/base/index.ts';

import { createWorkerPool, WorkerStoppedError } from '../../../../framework/process/index.ts';
import { assembleContent, type SecretContent, type SecretSource } from './assemble-content.ts';
import { invalidTemplateText, SecretContentError } from './errors.ts';
import type { SecretAnswer, SecretJob } from './secret-job.ts';

/** Makes Secrets; those with a template in a process of their own. */
export interface SecretRenderer {
  /** @throws SecretContentError, whose message quotes no credential; the signal's reason while it waits for the process */
  render(source: SecretSource, signal: AbortSignal): Promise<SecretContent>;
  /**
   * Parses a template, without rendering it.
   *
   * @param group those of one group take turns with others
   * @throws as `render`
   */
  parse(template: string, group: string, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** A template may use 32 MiB, and its YAML has at most 1 MiB. */
const HEAP_MB = 96;
/** With Node and buffers. The main process has to fit beside it. */
const MEMORY_MB = 136;
/** A Secret has at most 1 MiB of data, in base64, and 256 KiB of annotations. */
const MAX_RESULT_BYTES = 2 * 1024 * 1024;

export interface SecretRendererOptions {
  readonly clock: Clock;
  /** Time of a template and its YAML, in ms. Default 1000: the engine's own limit is lower, and its message better. */
  readonly deadlineMs?: number;
}

export function createSecretRenderer({ clock, deadlineMs = 1000 }: SecretRendererOptions): SecretRenderer {
  const pool = createWorkerPool<SecretJob, SecretAnswer>({
    clock,
    name: 'Secret templates',
    entry: async () => (await import('./secret-process.ts')).url,
    deadlineMs,
    heapMb: HEAP_MB,
    memoryMb: MEMORY_MB,
    maxResultBytes: MAX_RESULT_BYTES,
  });
  const run = async (job: SecretJob, group: string, signal: AbortSignal) => {
    try {
      const answer = await pool.run(job, { group, signal });
      if ('refused' in answer) throw new SecretContentError(answer.refused.message, answer.refused.kind);
      return answer;
    } catch (error) {
      if (!(error instanceof WorkerStoppedError)) throw error;
      const limits = {
        time: `${deadlineMs} ms`,
        memory: `${HEAP_MB} MiB of memory`,
        result: `${MAX_RESULT_BYTES} bytes for the Secret`,
      };
      const text = `the template and its YAML need more than ${limits[error.limit]}`;
      throw new SecretContentError(invalidTemplateText(text), error.kind);
    }
  };
  return {
    render: async (source, signal) => {
      const { binding } = source;
      if (!binding.spec.secretTemplate) return assembleContent(source, templatesAreForThreads);
      const answer = await run(relevant(source), binding.metadata.namespace, signal);
      if ('content' in answer) return answer.content;
      throw new ProviderError('bug', 'the template was parsed only');
    },
    parse: async (template, group, signal) => {
      await run({ template }, group, signal);
    },
    close: () => pool.close(),
  };
}

const templatesAreForThreads = (): never => {
  throw new ProviderError('bug', 'a template is rendered in a process of its own');
};

/** Without what may be long and is not needed, since it is copied. */
function relevant({ binding, instance, credentials }: SecretSource): SecretSource {
  const { parameters: _, ...bindingSpec } = binding.spec;
  const { parameters: __, ...instanceSpec } = instance.spec;
  return {
    binding: { ...binding, spec: bindingSpec },
    instance: { ...instance, spec: instanceSpec },
    credentials,
  };
}
