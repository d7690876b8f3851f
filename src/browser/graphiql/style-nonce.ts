// The policy of the page allows style elements with its nonce only. The editor makes some but knows no nonce, so they get it here.
// Those in markup do not: a parser makes them.
const nonce = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? ''
const { createElement } = Document.prototype

Object.assign(Document.prototype, {
  createElement(this: Document, name: string, options?: ElementCreationOptions): HTMLElement {
    const made = createElement.call(this, name, options)
    if (made instanceof HTMLStyleElement) made.nonce = nonce
    return made
  },
})
