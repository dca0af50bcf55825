/** A response as a whole. */
export interface Page {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}
