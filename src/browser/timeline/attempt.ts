import { byId } from '../element.ts'

/** Runs an action and shows its error at the top of the page. The control is disabled meanwhile, so that it acts once. */
export async function attempt(control: { disabled: boolean }, action: () => Promise<void>): Promise<void> {
  const problem = byId('problem', HTMLElement)
  control.disabled = true
  try {
    await action()
    problem.textContent = ''
  } catch (error) {
    problem.textContent = error instanceof Error ? error.message : String(error)
  }
  control.disabled = false
}
