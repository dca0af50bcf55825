/** How the API server refuses a request. */
export interface Refusal {
  /** 422 of validation, 403 of an admission plugin, or 500 of one that does not find what the Shoot refers to. */
  readonly status: 422 | 403 | 500;
  readonly message: string;
}
