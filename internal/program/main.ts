#!/usr/bin/env node
import { containerCommandLine, withContainerFlags } from './container-flags.ts';
import { printCrashesRedacted } from './crash-output.ts';
import { run } from './program.ts';
import { flagTable } from './provider/flags.ts';
import { keepHeapSmall } from './start/small-heap.ts';

printCrashesRedacted(process);

/** The exit code of a program ended by SIGPIPE (128 + 13). Node ignores the signal. */
const PIPE_CLOSED = 141;

// The reader closed the pipe, as in `… | head`. Exit without a message.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(PIPE_CLOSED);
    throw error;
  });
}

const argv = process.argv.slice(2);
if (argv[0] !== 'start') {
  // `start` does so when its code is loaded.
  keepHeapSmall();
  const { env } = process;
  Object.assign(env, withContainerFlags(env, flagTable(env), containerCommandLine(env)));
}
await run(process, argv);
