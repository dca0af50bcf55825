import type { Interceptor } from './interceptor.ts';

const KINDS: ReadonlySet<string> = new Set(['LogPipeline', 'LogParser', 'OAuth2Client']);

/**
 * Finalizers of these kinds belong to their controllers: those of an object that exists stay as they are. They are left out
 * of the apply rather than copied into it, which would add one again that its controller removes at the same time.
 */
export const keepFinalizers: Interceptor = async (prepared, { live }) => {
  const { metadata, kind } = prepared.object;
  if (!KINDS.has(kind) || metadata.finalizers === undefined) return;
  if ((await live(prepared)) !== undefined) delete metadata.finalizers;
};
