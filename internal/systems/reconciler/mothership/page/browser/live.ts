/** The stream of events by which the server says that something has changed. */

export interface LiveOptions {
  /** At the beginning, after each change, and after an interruption. */
  readonly onChange: () => void;
  /** The stream is open, or not. */
  readonly onState: (isOpen: boolean) => void;
}

/** A stream without an event for this time has no server, in ms: it sends one every 15 s. */
const SILENT_MS = 40_000;
/** Delays after the server refused a stream, in ms. */
const [RETRY_MS, MAX_RETRY_MS] = [2000, 30_000];

/** Follows changes while the page is visible: browsers open only a few connections to one server. */
export function followChanges({ onChange, onState }: LiveOptions): void {
  let source: EventSource | undefined;
  let timer = 0;
  let refusals = 0;

  const close = () => {
    clearTimeout(timer);
    source?.close();
    source = undefined;
  };
  const open = () => {
    close();
    if (document.hidden) return;
    const own = new EventSource('/v1/events');
    source = own;
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(open, SILENT_MS);
    };
    heard();
    own.addEventListener('open', () => {
      refusals = 0;
      heard();
      onState(true);
    });
    own.addEventListener('alive', heard);
    own.addEventListener('change', () => {
      heard();
      onChange();
    });
    own.addEventListener('error', () => {
      onState(false);
      // The browser opens a stream again that ended. One that was refused it does not.
      if (own.readyState !== EventSource.CLOSED) return;
      close();
      timer = setTimeout(open, Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** refusals++));
      onChange();
    });
  };
  document.addEventListener('visibilitychange', open);
  // A page that the browser keeps for `back` holds no connection.
  window.addEventListener('pagehide', close);
  window.addEventListener('pageshow', ({ persisted }) => persisted && open());
  open();
}
