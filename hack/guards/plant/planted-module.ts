/**
 * Loaded before the program (`node --import`), and by all processes and threads that it starts: one module has another source.
 * No file is changed, so that nothing must be taken back.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const { PLANTED_MODULE: planted, PLANTED_SOURCE: path } = process.env;

if (planted !== undefined && path !== undefined)
  registerHooks({
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context);
      if (url.replace(/\?.*/, '') !== planted) return loaded;
      // Tests that never load it say nothing about it.
      appendFileSync(`${path}.loaded`, '.');
      return { ...loaded, source: readFileSync(path, 'utf8') };
    },
  });
