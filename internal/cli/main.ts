#!/usr/bin/env node
import { run } from './program.ts';
import { keepHeapSmall } from './start/small-heap.ts';

keepHeapSmall();

/** As programs end that the signal SIGPIPE ends, which Node ignores: 128 and its number. */
const PIPE_CLOSED = 141;

// `… | head` reads no further: that is no fault of ours, and nobody is left to tell.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(PIPE_CLOSED);
    throw error;
  });
}

await run(process, process.argv.slice(2));
