from abc import ABC, abstractmethod
class Shape(ABC):
    @abstractmethod
    def area(self): ...
    @property
    @abstractmethod
    def name(self): ...
    @classmethod
    def __subclasshook__(cls, C):
        return True if "area_like" in C.__dict__ else NotImplemented

try:
    Shape()
except TypeError as e:
    print(e)

class Sq(Shape):
    name = "sq"
    def area(self): return 4
class Duck: area_like = 1
Sq().area(), issubclass(Duck, Shape), issubclass(int, Shape), Shape.register(int), issubclass(int, Shape)
