import { toSvg } from 'jdenticon/browser'
import { createElement, type IconNode } from 'lucide'
import { element } from './dom.ts'

// Colours that show on the background of both colour schemes.
const look = {
  padding: 0.1,
  lightness: { color: [0.42, 0.58], grayscale: [0.45, 0.6] },
  saturation: { color: 0.55, grayscale: 0 },
} satisfies Parameters<typeof toSvg>[2]

/** Draws the picture of an account, which follows from its uuid alone. Nobody else learns of it, because nothing is loaded. */
export function drawFace(uuid: string): HTMLImageElement {
  const src = `data:image/svg+xml,${encodeURIComponent(toSvg(uuid, 80, look))}`
  return element('img', { src, alt: '', className: 'face' })
}

/** Draws an icon. Screen readers skip it, so the control around it has a name. */
export const drawIcon = (icon: IconNode) => createElement(icon, { class: 'icon', 'aria-hidden': 'true' })
