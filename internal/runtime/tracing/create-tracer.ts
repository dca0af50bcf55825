import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { kindOf, messageOf } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import { redact } from '../../base/redact.ts';
import { cutText } from '../../base/text.ts';
import type { Span, SpanAttributes, SpanOptions, Tracer } from '../../base/tracer.ts';
import type { SpanRecord } from './span-record.ts';

export interface TracerOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** The share of traces that are kept, from 0 to 1. */
  readonly ratio: number;
  /** Told of every span of a trace that is kept, when it ends. */
  readonly onEnd: (span: SpanRecord) => void;
}

/** The span that the running code is part of. */
interface Active {
  readonly traceID: string;
  readonly spanID: string;
  /** What outlives its span, a watch that a reconcile began, is no part of it any more. */
  ended: boolean;
}

/** Longer texts are cut. */
const MAX_TEXT = 1024;

/** Who belongs to whom is known by the asynchronous context, so that no call has to pass it on. */
export function createTracer({ clock, random, ratio, onEnd }: TracerOptions): Tracer {
  const active = new AsyncLocalStorage<Active | undefined>();

  const run = async <T>(
    options: SpanOptions,
    parent: Active | undefined,
    work: (span: Span) => Promise<T>,
  ): Promise<T> => {
    const self: Active = {
      traceID: parent?.traceID ?? randomBytes(16).toString('hex'),
      spanID: randomBytes(8).toString('hex'),
      ended: false,
    };
    const attributes: Record<string, SpanAttributes[string]> = {};
    const set = (more: SpanAttributes) => {
      for (const [name, value] of Object.entries(more)) attributes[name] = harmless(value);
    };
    set(options.attributes ?? {});
    const startedAt = clock.now();
    const began = clock.monotonic();
    const end = (error?: string) => {
      self.ended = true;
      onEnd({
        traceID: self.traceID,
        spanID: self.spanID,
        ...(parent === undefined ? {} : { parentID: parent.spanID }),
        name: options.name,
        kind: options.kind ?? 'internal',
        startedAt,
        endedAt: startedAt + clock.monotonic() - began,
        attributes,
        ...(error === undefined ? {} : { error }),
      });
    };
    try {
      const result = await active.run(self, () => work({ set }));
      end();
      return result;
    } catch (error) {
      const kind = kindOf(error);
      set({ 'error.type': kind });
      // Waiting is not failing: no trace of it should look as if somebody had to mend something.
      end(kind === 'waiting' ? undefined : String(harmless(messageOf(error))));
      throw error;
    }
  };
  return {
    trace: (options, work) => {
      if (ratio > 0 && random() < ratio) return run(options, undefined, work);
      return active.run(undefined, () => work(nopSpan));
    },
    span: (options, work) => {
      const parent = active.getStore();
      return parent === undefined || parent.ended ? work(nopSpan) : run(options, parent, work);
    },
  };
}

const nopSpan: Span = { set: () => undefined };

const harmless = (value: SpanAttributes[string]) =>
  typeof value === 'string' ? cutText(redact(value), MAX_TEXT) : value;
