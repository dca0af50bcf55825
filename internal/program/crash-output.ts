import { redact } from '../framework/base/index.ts';

/** The part of the process that is used. */
export type CrashingProcess = Pick<NodeJS.Process, 'on' | 'exit'> & {
  readonly stderr: { write(text: string): unknown };
};

/** Causes that are printed. */
const MAX_CAUSES = 8;

/**
 * Ends the process after an error that nothing handles, as Node does, but prints only redacted stacks. Node would print all
 * properties of the error, which may be a request with its headers.
 */
export function printCrashesRedacted(host: CrashingProcess): void {
  // Unhandled rejections come here as well.
  host.on('uncaughtException', (error: unknown) => {
    try {
      host.stderr.write(`provider-kyma: uncaught error: ${redact(stacksOf(error))}\n`);
    } finally {
      host.exit(1);
    }
  });
}

function stacksOf(error: unknown): string {
  const stacks: string[] = [];
  for (let next = error; next !== undefined && stacks.length < MAX_CAUSES; ) {
    stacks.push(next instanceof Error ? (next.stack ?? next.message) : `a thrown ${typeof next}`);
    next = next instanceof Error ? next.cause : undefined;
  }
  return stacks.join('\ncaused by: ');
}
