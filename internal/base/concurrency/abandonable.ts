/**
 * `work`, or the signal's reason as soon as it is aborted, whichever comes first. For work that only reads, or whose
 * late effect something else guards against: what is abandoned may go on unseen.
 */
export function abandonable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abandon = () => reject(signal.reason);
    if (signal.aborted) abandon();
    signal.addEventListener('abort', abandon, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abandon));
  });
}
