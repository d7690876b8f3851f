/** What precedes all paths of the server. Often empty. */
export const prefix = document.body.dataset.prefix ?? ''
