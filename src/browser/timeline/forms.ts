import { attempt, element } from '../element.ts'
import { run } from '../graphql.ts'
import { deletePost, type Item, sendPost, updatePost } from './documents.ts'

/** What opens under a label. */
export const disclose = (label: string, ...content: readonly (Node | string)[]) =>
  element('details', {}, element('summary', {}, label), ...content)

/** Draws a form for a text. */
export function drawForm(label: string, submit: (text: string) => Promise<void>, start = ''): HTMLFormElement {
  const text = element('textarea', { rows: 3, placeholder: 'Up to 500 characters', ariaLabel: label, dir: 'auto' })
  const button = element('button', {}, label)
  const form = element('form', {}, text, button)
  text.value = start
  form.onsubmit = (event) => {
    event.preventDefault()
    attempt(button, async () => {
      if (text.value.trim() === '') throw new Error('Write something first.')
      await submit(text.value)
      text.value = ''
    })
  }
  return form
}

/** Sends a post, or with `parent` a reply. */
export async function send(content: string, parent: string | null) {
  const { sendPost: sent } = await run(sendPost, { input: { content, parent } })
  return { parent: null, ...sent.publication }
}

/** Draws what edits an item, unless it was edited elsewhere since it was read. */
export function drawEdit({ uuid, content, createdAt, editedAt }: Item, edited: (item: Item) => void): HTMLElement {
  const form = drawForm(
    'Edit',
    async (text) => {
      const input = { uuid, content: text, ifUnchangedSince: editedAt ?? createdAt }
      edited((await run(updatePost, { input })).updatePost.publication)
    },
    content,
  )
  return disclose('Edit', form)
}

/** Draws what deletes an item. */
export function drawDelete(uuid: string, deleted: () => void): HTMLElement {
  const button = element('button', {}, 'Delete')
  button.onclick = () =>
    attempt(button, async () => {
      await run(deletePost, { input: { uuid } })
      deleted()
    })
  return disclose('Delete', element('p', {}, 'It cannot be restored.'), button)
}
