/**
 * A component reconciler that stops hands its tasks back: it reports `failed` with a reason that begins with this text, a part of
 * the protocol. The task did not end, and is sent again at once.
 */
const PREFIX = 'cancelled: ';

export const handedBackReason = (cause: string): string => `${PREFIX}${cause}`;

export const isHandedBack = (reason: string): boolean => reason.startsWith(PREFIX);
