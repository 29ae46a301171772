# svg.py FILE -- the content of a picture of jobplot, by a real parser, a line each: "size W H",
# "text ANCHOR X WORDS", and for each box of each path "CLASS X Y W H TITLE"
import re
import sys
import xml.etree.ElementTree as ElementTree

SVG = '{http://www.w3.org/2000/svg}'
BOX = re.compile(r'M([\d.]+) ([\d.]+)h([\d.]+)v([\d.]+)h-[\d.]+z')


def show(element, name):
    name = element.get('class', name)
    title = element.find(SVG + 'title')
    title = '' if title is None else title.text
    if element.tag == SVG + 'text':
        print('text', element.get('text-anchor'), element.get('x'), repr(element.text))
    for box in BOX.findall(element.get('d', '')):
        print(name, *box, repr(title))
    for child in element:
        show(child, name)


root = ElementTree.parse(sys.argv[1]).getroot()
assert root.tag == SVG + 'svg'
print('size', root.get('width'), root.get('height'))
show(root, '-')
