/** Emits the framework for provider authors into `dist/lib`: what `exports` of package.json point to. */
import { relative } from 'node:path';
import { buildLibrary, LIBRARY } from './library.ts';

const startedAt = performance.now();
await buildLibrary();
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
console.log(`${relative(process.cwd(), LIBRARY)}: the framework for provider authors, ${seconds} s`);
